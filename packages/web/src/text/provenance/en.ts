import type { Format, Messages } from '../define'

/** Provenance of the results on a page. */
export const en = {
  title: 'Provenance',
  training: 'Training',
  workflow: 'Workflow',
  dataset: 'Dataset',
  data: ({ part }: { part: string }) => `Data, ${part}`,
  unread: 'Not read yet',
  copy: 'Copy digest',
  configuration: 'Configuration',
  open: 'Open',
  seed: 'Seed',
  software: 'Software versions',
  'software.unknown': 'Available once the training has evaluated its cases',
  evaluation: 'Evaluation',
  measured: 'Measured',
  checkpoint: 'Checkpoint',
  registered: 'Registered',
  run: 'Run',
  revision: 'Revision',
  more: ({ count }: { count: number }, f: Format) =>
    f.plural(count, {
      one: '1 more training shows its provenance on its own page.',
      other: `${f.number(count)} more trainings show their provenance on their own pages.`,
    }),
  none: 'No training is shown here.',
} satisfies Messages
