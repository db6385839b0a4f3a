"""What HTML pages are made of: sections and tables, the style sheet, and figures that load nothing."""
