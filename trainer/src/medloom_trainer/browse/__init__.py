"""What people look at of a registered data set: its cases, the distribution of a column, and its images, read
by the reader of a training. Nothing here changes what a training reads.
"""
