"""Metrics on text documents, PDF files, web pages and archives."""
