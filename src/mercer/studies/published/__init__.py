"""The published reports, run again: a folder each, none of which knows another."""
