"""Data preparation: files of a dataset → arrays that a training reads.

Data flows in one direction through the folders. Each folder imports only from those before it, and other code
imports from a folder, not from its modules:

    tables    files → tables of texts, roles of columns, rows of each split, labels
    images    image cells → files that may be read → decoded pixels
    cache     image files → records of one size, decoded once
    splits    groups of cases, validation split, leaks
    features  values fitted on the training rows; tables and images as numbers
    checks    shortcuts, missing values, settings without effect; inspection of a dataset

`prepare.py` applies all of them for a training, `apply.py` applies the fitted values of a training to another
table. `types.py` contains the types that they return.
"""
