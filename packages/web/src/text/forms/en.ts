import type { Format, Messages } from '../define'

/** Forms generated from a schema. */
export const en = {
  required: 'required',
  default: ({ value }: { value: string }) => `Default: ${value}`,
  range: ({ low, high }: { low: string; high: string }) => `${low} to ${high}`,
  rangeFrom: ({ low }: { low: string }) => `at least ${low}`,
  rangeTo: ({ high }: { high: string }) => `at most ${high}`,
  none: 'none',
  changed: 'Differs from the default',
  'changed.count': ({ count }: { count: number }) => `${count} changed`,
  reset: ({ name }: { name: string }) => `Reset ${name} to its default`,
  notNumber: 'Enter a number.',
  notWhole: 'Enter a whole number.',
  notYaml: 'This is not valid YAML.',
  list: 'One per line.',
  value: 'In YAML.',
  dataset: 'Registered dataset',
  'dataset.none': 'None: use the table below',
  model: 'Registered model',
  'model.none': 'None: use the connected model, or the text below',
  row: ({ name, number }: { name: string; number: number }, f: Format) => `${name} ${f.number(number)}`,
  'row.add': ({ name }: { name: string }) => `Add to ${name}`,
  'row.remove': ({ name, number }: { name: string; number: number }, f: Format) =>
    `Remove ${name} ${f.number(number)}`,
  'row.remove.short': 'Remove',
  search: 'Search settings',
  found: ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 setting matches', other: `${f.number(count)} settings match` }),
  'editor.control': 'Control character',
  'editor.diagnostics': 'Problems',
  'editor.diagnostics.none': 'No problems',
  'editor.deleted': 'Selection deleted',
  'editor.close': 'Close',
} satisfies Messages
