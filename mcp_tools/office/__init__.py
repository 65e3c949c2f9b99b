"""The bridge to LibreOffice, shared by the tools of Calc, Writer and Impress."""
