/** The file that `medloom nodes new` writes: a working node as a starting point. */
export function customNodeTemplate(file: string): string {
  const title = file.replace(/\.py$/, '').replaceAll('_', ' ')
  return `"""${title.slice(0, 1).toUpperCase()}${title.slice(1)}: a custom node of Medloom.

NODE declares the node and is read without running this file, so it holds literals alone.
run(task) computes it: equal inputs and settings must give equal outputs, because they are cached.
"""

from medloom_trainer.custom import NodeTask, Outputs, describe_cases, read_cases, write_cases

NODE = {
    "title": "${title.slice(0, 1).toUpperCase()}${title.slice(1)}",
    "summary": "Keeps the cases whose value in a column is at least a limit.",
    "group": "Utility",
    "inputs": {"dataset": {"type": "dataset", "title": "Dataset"}},
    "outputs": {
        # of: the input whose cases these are; cases: "same" where all of them are kept, else "some"
        "dataset": {"type": "dataset", "title": "Kept cases", "of": "dataset", "cases": "some"},
    },
    "config": {
        "column": {"type": "text", "title": "Column", "default": "age"},
        "at_least": {"type": "number", "title": "At least", "default": 0, "minimum": 0},
    },
}


def run(task: NodeTask) -> Outputs:
    cases = read_cases(task, task.input("dataset"))
    texts = cases.table.cells[task.config["column"]]
    rows = [row for row, text in enumerate(texts) if text and float(text) >= task.config["at_least"]]
    kept = write_cases(task, cases.take(rows))
    return {"dataset": (kept, describe_cases(kept))}
`
}
