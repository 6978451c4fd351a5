import type { Messages } from '../define'

/** Where a training is set up. */
export const en = {
  title: 'New training',
  lead: 'Six settings decide; every other one has a default.',
  name: 'Name',
  start: 'Start training',
  yaml: 'The same as YAML',
  'yaml.hint': 'Both sides change each other; comments and order are kept.',
  'yaml.broken': ({ line, message }: { line: string; message: string }) =>
    `This is no YAML yet (line ${line}): ${message}. The form waits.`,
  'copy.yaml': 'Copy as YAML',
  'copy.command': 'Copy as command',
  'from.loading': 'Reading the configuration…',
  empty: 'Start over',
} satisfies Messages
