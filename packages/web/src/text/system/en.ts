import type { Format, Messages } from '../define'

/** The machine and the service. */
export const en = {
  title: 'System',
  lead: 'What the service uses, what it keeps, and whether it can work.',
  'usage.title': 'In use',
  'usage.slots': 'Trainings at a time',
  'usage.slotsOf': ({ used, total }: { used: number; total: number }, f: Format) =>
    `${f.number(used)} of ${f.number(total)}`,
  'usage.queue': 'In the queue',
  'usage.processor': 'Processor',
  'usage.cores': ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: 'of 1 core', other: `of ${f.number(count)} cores` }),
  'usage.memory': 'Memory',
  'usage.disk': 'Disk of the data folder',
  'usage.usedOf': ({ used, total }: { used: string; total: string }) => `${used} of ${total}`,
  'usage.unknown': 'Not known yet',
  'usage.paused': 'No training is started at the moment.',
  'usage.retry': ({ time }: { time: string }) => `Tried again at ${time}.`,
  'kept.title': 'Kept here',
  'kept.jobs': 'Trainings',
  'kept.studies': 'Studies',
  'kept.models': 'Models',
  'kept.datasets': 'Data sets',
  'ready.title': 'Ready to train',
  'ready.ok': 'Works',
  'ready.bad': 'Does not work',
  'ready.database': 'Database',
  'ready.disk': 'Disk',
  'ready.python': 'Python',
  'ready.workers': 'Workers',
  'ready.queue': 'Queue',
  'tasks.title': 'Tasks',
  'tasks.none':
    'No task yet. Evaluations, comparisons, inspections and exports that go on in the background show up here.',
  'tasks.what': 'Work',
  'tasks.state': 'State',
  'tasks.progress': 'Progress',
  'tasks.begun': 'Begun',
  'tasks.action': 'Action',
  'tasks.cancel': 'Cancel',
  'task.running': 'Running',
  'task.completed': 'Completed',
  'task.failed': 'Failed',
  'task.cancelled': 'Cancelled',
  'cache.title': 'Caches',
  'cache.prepared': 'Prepared images',
  'cache.preparedText': 'Images that were decoded once; later trainings read them faster.',
  'cache.workflow': 'Results of workflows',
  'cache.workflowText': 'Results of nodes that are not computed again while nothing above them changes.',
  'cache.size': ({ size, count }: { size: string; count: number }, f: Format) =>
    f.plural(count, { one: `${size} in 1 entry`, other: `${size} in ${f.number(count)} entries` }),
  'cache.limit': ({ size }: { size: string }) => `Limit: ${size}`,
  'cache.clear': 'Clear',
  'cache.prepared.title': 'Clear the prepared images?',
  'cache.prepared.question': ({ size }: { size: string }) =>
    `Up to ${size} are freed. What a training uses stays. Later trainings decode the images again.`,
  'cache.workflow.title': 'Forget the results of all workflows?',
  'cache.workflow.question': ({ size }: { size: string }) =>
    `Up to ${size} are freed. The next run of each workflow computes everything again.`,
  'cache.freed': ({ size, kept }: { size: string; kept: number }, f: Format) =>
    kept === 0 ? `${size} freed.` : `${size} freed; ${f.number(kept)} in use were kept.`,
  'cache.forgotten': ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 result forgotten.', other: `${f.number(count)} results forgotten.` }),
  'roots.title': 'Folders that requests may name',
  'roots.none': 'None but the data folder. Start the service with --root FOLDER to add one.',
  'versions.title': 'Versions',
  'versions.platform': 'System',
  'versions.processor': 'Processor',
  'versions.gpu': 'GPU',
  'versions.noGpu': 'None; trainings run on the processor.',
  'access.title': 'Access',
  'access.open':
    'No token is required: only programs on this machine reach the service. Start it with --token-file FILE to serve other machines.',
  'access.token':
    'A token is required. It stands in the file that --token-file names; another line there, and a restart, end every login.',
  'access.logout': 'Log out',
} satisfies Messages
