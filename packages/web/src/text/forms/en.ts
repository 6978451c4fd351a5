import type { Format, Messages } from '../define'

/** Forms that are made from a schema. */
export const en = {
  required: 'required',
  default: ({ value }: { value: string }) => `Default: ${value}`,
  range: ({ low, high }: { low: string; high: string }) => `${low} to ${high}`,
  rangeFrom: ({ low }: { low: string }) => `${low} or more`,
  rangeTo: ({ high }: { high: string }) => `${high} at most`,
  none: 'none',
  changed: 'Differs from the default',
  'changed.count': ({ count }: { count: number }) => `${count} changed`,
  reset: ({ name }: { name: string }) => `Back to the default of ${name}`,
  on: 'On',
  notNumber: 'A number is expected.',
  notWhole: 'A whole number is expected.',
  notYaml: 'This is not well-formed YAML.',
  list: 'One per line.',
  value: 'Written as YAML.',
  dataset: 'Registered data set',
  'dataset.none': 'None: the table named below',
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
