"""What tools/samples is made of: a module a format that writes, and check.py that reads back."""
