import type { Format, Messages } from '../define'

/** Where the numbers of a page come from. */
export const en = {
  title: 'Where this comes from',
  training: 'Training',
  workflow: 'Workflow',
  dataset: 'Data set',
  data: ({ part }: { part: string }) => `Data, ${part}`,
  unread: 'Not read yet',
  copy: 'Copy the digest',
  configuration: 'Configuration',
  open: 'Open',
  seed: 'Seed',
  software: 'Versions',
  'software.unknown': 'Known once the training has measured its cases',
  evaluation: 'Evaluation',
  measured: 'Measured',
  checkpoint: 'Checkpoint',
  registered: 'Registered',
  run: 'Run',
  revision: 'Revision',
  more: ({ count }: { count: number }, f: Format) =>
    f.plural(count, {
      one: '1 more training says it on its own page.',
      other: `${f.number(count)} more trainings say it on their own pages.`,
    }),
  none: 'No training is shown here.',
} satisfies Messages
