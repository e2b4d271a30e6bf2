"""ErrataBench: which language model proofreads best, for your money and your texts."""

__version__ = "0.1.0"
