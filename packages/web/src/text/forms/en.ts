import type { Messages } from '../define'

/** Forms that are made from a schema. */
export const en = {
  required: 'required',
  default: ({ value }: { value: string }) => `Default: ${value}`,
  range: ({ low, high }: { low: string; high: string }) => `${low} to ${high}`,
  rangeFrom: ({ low }: { low: string }) => `${low} or more`,
  rangeTo: ({ high }: { high: string }) => `${high} at most`,
  none: 'none',
  changed: 'Differs from the default',
  reset: ({ name }: { name: string }) => `Back to the default of ${name}`,
  on: 'On',
  notNumber: 'A number is expected.',
  notWhole: 'A whole number is expected.',
  notYaml: 'This is not well-formed YAML.',
  list: 'One per line.',
  value: 'Written as YAML.',
  search: 'Search settings',
  found: ({ count }: { count: number }) => `${count} settings match`,
} satisfies Messages
