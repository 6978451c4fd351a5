"""The search for a setting in a study: which setting to try next, and which trial to end early."""
