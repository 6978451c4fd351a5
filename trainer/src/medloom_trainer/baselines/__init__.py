"""Simple models that the trained model is compared with, on the same cases: fitted in the job, stored as
JSON, shown in every evaluation.

    PreparedData → design (matrix) → inner folds choose a setting → fitted on all rows that the model
                 learns from → model.json → predictions of any other cases
"""
