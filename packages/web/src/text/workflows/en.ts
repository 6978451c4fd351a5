import type { Format, Messages } from '../define'

/** The list of workflows and the templates. */
export const en = {
  title: 'Workflows',
  lead: 'Connected nodes: from data to a trained and evaluated model.',
  new: 'New workflow',
  import: 'Import file',
  'import.drop': 'You can also drop a saved workflow anywhere on this page.',
  'import.notJson': ({ name }: { name: string }) =>
    `${name} is not a workflow: the file does not contain JSON.`,
  yours: 'Your workflows',
  templates: 'Start from a template',
  'templates.lead': 'Each template is copied; the template itself does not change.',
  'fit.dataset': 'Check against a dataset',
  'fit.none': 'Example data of the template',
  'fit.yes': 'Fits this dataset',
  'fit.no': 'Does not fit this dataset yet',
  use: ({ name }: { name: string }) => `Use ${name}`,
  'use.short': 'Use',
  empty: 'No workflows yet. Start with an empty workflow, a template or a saved file.',
  nodes: ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 node', other: `${f.number(count)} nodes` }),
  name: 'Name',
  size: 'Nodes',
  run: 'Latest run',
  changed: 'Modified',
  never: 'Never run',
  actions: 'Actions',
  export: ({ name }: { name: string }) => `Export ${name}`,
  'export.short': 'Export',
  delete: ({ name }: { name: string }) => `Delete ${name}`,
  'delete.short': 'Delete',
  'delete.text': ({ name }: { name: string }) =>
    `“${name}” is permanently deleted, with its runs, its project folder and its cached results. Trainings and models are not deleted.`,
  untitled: 'Untitled',
  drawing: ({ name, count }: { name: string; count: number }, f: Format) =>
    `Diagram of ${name}: ${f.plural(count, { one: '1 node', other: `${f.number(count)} nodes` })}`,
  more: 'Show more',
} satisfies Messages
