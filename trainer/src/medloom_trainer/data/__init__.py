"""The data side: files of a data set → arrays that a training reads.

Data goes one way through the folders; each imports only from those before it, and others import from a
folder, not from its modules:

    tables    files → tables of texts, roles of columns, rows of each split, labels
    images    image cells → files that may be read → decoded pixels
    cache     image files → records of one size, decoded once
    splits    groups of cases, validation split, leaks
    features  what is fitted on the training rows; tables and images as numbers
    checks    shortcuts, missing values, settings without effect; inspection of a data set

`prepare.py` takes a training through all of them, `apply.py` another table through what a training fitted.
`types.py` holds what they hand on.
"""
