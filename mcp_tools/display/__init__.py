"""The X server: its windows and pictures, its keyboard, and typing any text by real key events."""
