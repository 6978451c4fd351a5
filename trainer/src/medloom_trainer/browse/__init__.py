"""Views of a registered dataset for users: its cases, the distribution of a column, and its images, read like
in a training. Nothing here changes the data of a training.
"""
