"""The search for a setting that a study asks for: which to try next, and which trial to end early."""
