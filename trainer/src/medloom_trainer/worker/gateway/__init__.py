"""The worker's protocol carried to the nodes of a Ray cluster: one process, any number of tasks."""
