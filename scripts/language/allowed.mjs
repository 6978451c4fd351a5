// Places where a word of rules.mjs stays. An entry that allows nothing any more fails the check.

/** Files that nobody writes by hand here, or that quote. */
export const UNCHECKED = [
  { path: /^(docs\/reference|packages\/contracts\/generated)\//, why: 'generated from checked files' },
  { path: /^packages\/client\/src\/(methods|routes)\.ts$/, why: 'generated from checked files' },
  {
    path: /^trainer\/src\/medloom_trainer\/contract\/.*\.(json|py)$/,
    why: 'generated, or names of the generated',
  },
  { path: /^scripts\/language\//, why: 'the rules themselves' },
  { path: /^tests\/specification\/sentences\//, why: 'quotes the specification' },
  { path: /^package-lock\.json$/, why: 'written by npm' },
]

/** `path`: one file or, with a slash at its end, a folder; `text`: part of the line. */
export const ALLOWED = [
  { path: 'docs/tutorial.md', text: 'optimiser', why: 'a misspelled key, to show its message' },
  { path: 'packages/contracts/src/workflow/marks.ts', text: "'grey'", why: 'a value of saved workflows' },
  { path: 'packages/web/src/editor/canvas/', text: 'grey', why: 'a value of saved workflows' },
  { path: 'packages/web/src/text/editor/', text: 'color.grey', why: 'a value of saved workflows' },
  {
    path: 'packages/contracts/src/trainer/evaluation-result.ts',
    text: 'labelled:',
    why: 'a field of stored results',
  },
  {
    path: 'packages/reports/src/sections/performance.ts',
    text: 'labelled',
    why: 'a field of stored results',
  },
  {
    path: 'trainer/src/medloom_trainer/outcomes/multilabel.py',
    text: '"labelled"',
    why: 'a field of stored results',
  },
  {
    path: 'trainer/src/medloom_trainer/data/tables/training_tables.py',
    text: ' is none"',
    why: 'the value "none" of a key, in texts of stored results',
  },
  {
    path: 'trainer/tests/data/test_prepare.py',
    text: ' is none"',
    why: 'the value "none" of a key, in texts of stored results',
  },
  { path: 'trainer/tests/outcomes/test_multilabel.py', text: '"labelled"', why: 'a field of stored results' },
  {
    path: 'trainer/src/medloom_trainer/data/features/fit.py',
    text: '"centre"',
    why: 'a name of columns in tables of users',
  },
]
