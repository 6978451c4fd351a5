import type { Format, Messages } from '../define'

/** The home page. */
export const en = {
  title: 'Home',
  lead: 'Train and examine models that read medical images and tables together.',
  'example.try': 'Try the example',
  'example.name': 'Example',
  'example.lead':
    'The example is synthetic: 400 lesions, each with an image and a table row. Its training takes about a minute.',
  'example.making': 'Creating the example dataset…',
  'own.use': 'Use my data',
  'first.title': 'Get started',
  'start.training': 'New training',
  'running.title': 'Running',
  'running.empty': 'Nothing is running.',
  'ended.title': 'Recently finished',
  'ended.empty': 'No training has finished yet.',
  'failed.title': 'Recent failures',
  'failed.empty': 'No recent failures.',
  'machine.title': 'This machine',
  'machine.gpu': 'GPU',
  'machine.gpu.none': 'None; trainings run on the CPU.',
  'machine.processor': 'CPU',
  'machine.cores': ({ count, model }: { count: number; model: string }, f: Format) =>
    `${f.number(count)} × ${model}`,
  'machine.memory': 'Memory',
  'machine.disk': 'Disk',
  'machine.free': ({ free, total }: { free: string; total: string }) => `${free} free of ${total}`,
  epoch: ({ epoch, total }: { epoch: number; total: number }) => `Epoch ${epoch} of ${total}`,
  left: ({ time }: { time: string }) => `about ${time} left`,
  queue: ({ position }: { position: number }) => `Position ${position} in the queue`,
} satisfies Messages
