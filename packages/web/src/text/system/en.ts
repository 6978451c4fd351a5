import type { SystemInfo } from '@medloom/contracts'
import type { Format, Messages } from '../define'

type Trainings = SystemInfo['trainings']

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
  'versions.trainings': 'Trainings',
  'versions.trainingsOn': ({ launcher, cluster }: Trainings, f: Format) =>
    launcher === 'local'
      ? 'On this machine'
      : cluster === null
        ? `On a cluster (${launcher}) that does not answer`
        : `On a cluster (${launcher}): ${f.plural(cluster.nodes, { one: '1 node', other: `${f.number(cluster.nodes)} nodes` })}, ${f.plural(cluster.cpus, { one: '1 core', other: `${f.number(cluster.cpus)} cores` })}, ${f.plural(cluster.gpus, { one: '1 GPU', other: `${f.number(cluster.gpus)} GPUs` })}`,
  'versions.gpu': 'GPU',
  'versions.noGpu': 'None; trainings run on the processor.',
  'role.read': 'looks at everything',
  'role.run': 'trains, and changes what is their own',
  'role.admin': 'administrator',
  'people.users': 'Users',
  'people.user': 'User',
  'people.role': 'Role',
  'people.running': 'Trainings running',
  'people.waiting': 'Waiting',
  'people.quotas': 'Quota',
  'people.of': ({ jobs, quota }: { jobs: number; quota: number }, f: Format) =>
    `${f.number(jobs)} of ${f.number(quota)}`,
  'people.set': 'Set',
  'people.set.title': ({ user }: { user: string }) => `Quota of ${user}`,
  'people.maxRunning': 'Trainings that may run at the same time',
  'people.maxQueued': 'Trainings that may wait',
  'people.noLimit': 'Empty: no limit',
  'people.save': 'Save',
  'tokens.title': 'Tokens',
  'tokens.none': 'No user has a token. Create one: medloom tokens create NAME.',
  'tokens.name': 'For',
  'tokens.state': 'State',
  'tokens.used': 'Last used',
  'tokens.action': 'Action',
  'tokens.never': 'Never',
  'tokens.good': 'Good',
  'tokens.until': ({ time }: { time: string }) => `Good until ${time}`,
  'tokens.expired': 'Expired',
  'tokens.revoked': 'Revoked',
  'tokens.revoke': 'Revoke',
  'tokens.revoke.title': ({ user, name }: { user: string; name: string }) =>
    `Revoke the token “${name}” of ${user}?`,
  'tokens.revoke.question':
    'Requests with it are refused at once, its logins end and its open connections are closed. This cannot be undone; another token can be created.',
  'tokens.create': 'New token',
  'tokens.user.hint': 'A name that is not there yet begins a new user.',
  'tokens.for': 'What it is for',
  'tokens.for.hint': 'Such as the name of a machine',
  'tokens.days': 'Days until it is no longer good',
  'tokens.days.hint': 'Empty: it does not expire',
  'tokens.make': 'Create',
  'tokens.made': ({ user }: { user: string }) => `The new token of ${user}`,
  'tokens.made.once': 'It is shown this once, and the service keeps its digest alone. Copy it now.',
  'tokens.secret': 'New token',
  'tokens.copy': 'Copy',
  'access.title': 'Access',
  'access.who': ({ user, role }: { user: string; role: string }) => `You are ${user}: ${role}.`,
  'access.open':
    'No token is required: only programs on this machine reach the service. Start it with --token-file FILE to serve other machines.',
  'access.token':
    'A token is required. An administrator gives and revokes those of users; a login ends with the token that it was made with.',
  'access.logout': 'Log out',
} satisfies Messages
