"""What the desk shows of a trial besides its screen and steps: requests, verdict, labels."""
