"""The bridge to LibreOffice, which the tools of Calc, Writer and Impress share."""
