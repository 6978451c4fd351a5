import type { SystemInfo } from '@medloom/contracts'
import type { Format, Messages } from '../define'

type Trainings = SystemInfo['trainings']

/** The system page. */
export const en = {
  title: 'System',
  lead: 'Resource usage, stored data and readiness of the service.',
  'usage.title': 'Resource usage',
  'usage.slots': 'Concurrent trainings',
  'usage.slotsOf': ({ used, total }: { used: number; total: number }, f: Format) =>
    `${f.number(used)} of ${f.number(total)}`,
  'usage.queue': 'Queued',
  'usage.processor': 'CPU',
  'usage.cores': ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: 'of 1 core', other: `of ${f.number(count)} cores` }),
  'usage.memory': 'Memory',
  'usage.disk': 'Disk of the data folder',
  'usage.usedOf': ({ used, total }: { used: string; total: string }) => `${used} of ${total}`,
  'usage.unknown': 'Not available yet',
  'usage.paused': 'No trainings are started at the moment.',
  'usage.retry': ({ time }: { time: string }) => `Next attempt at ${time}.`,
  'kept.title': 'Stored data',
  'kept.jobs': 'Trainings',
  'kept.studies': 'Studies',
  'kept.models': 'Models',
  'kept.datasets': 'Datasets',
  'ready.title': 'Readiness',
  'ready.ok': 'Working',
  'ready.bad': 'Not working',
  'ready.database': 'Database',
  'ready.disk': 'Disk',
  'ready.python': 'Python',
  'ready.workers': 'Workers',
  'ready.queue': 'Queue',
  'tasks.title': 'Tasks',
  'tasks.none':
    'No tasks yet. Evaluations, comparisons, inspections and exports that run in the background appear here.',
  'tasks.what': 'Task',
  'tasks.state': 'Status',
  'tasks.progress': 'Progress',
  'tasks.begun': 'Started',
  'tasks.action': 'Action',
  'tasks.cancel': 'Cancel',
  'task.running': 'Running',
  'task.completed': 'Completed',
  'task.failed': 'Failed',
  'task.cancelled': 'Canceled',
  'cache.title': 'Caches',
  'cache.prepared': 'Decoded images',
  'cache.preparedText': 'Images that are already decoded, so that later trainings read them faster.',
  'cache.workflow': 'Workflow results',
  'cache.workflowText': 'Results of nodes. A node is not computed again unless something upstream changes.',
  'cache.size': ({ size, count }: { size: string; count: number }, f: Format) =>
    f.plural(count, { one: `${size} in 1 entry`, other: `${size} in ${f.number(count)} entries` }),
  'cache.limit': ({ size }: { size: string }) => `Limit: ${size}`,
  'cache.clear': 'Clear',
  'cache.prepared.title': 'Clear the decoded images?',
  'cache.prepared.question': ({ size }: { size: string }) =>
    `Up to ${size} are freed. Images that a training is using are not deleted. Later trainings decode the images again.`,
  'cache.workflow.title': 'Clear the results of all workflows?',
  'cache.workflow.question': ({ size }: { size: string }) =>
    `Up to ${size} are freed. The next run of each workflow computes everything again.`,
  'cache.freed': ({ size, kept }: { size: string; kept: number }, f: Format) =>
    kept === 0
      ? `${size} freed.`
      : `${size} freed; ${f.plural(kept, { one: '1 entry in use was not deleted', other: `${f.number(kept)} entries in use were not deleted` })}.`,
  'cache.forgotten': ({ count }: { count: number }, f: Format) =>
    f.plural(count, { one: '1 result cleared.', other: `${f.number(count)} results cleared.` }),
  'roots.title': 'Folders that requests may access',
  'roots.none': 'Only the data folder. To add a folder, start the service with --root FOLDER.',
  'versions.title': 'Versions',
  'versions.platform': 'Operating system',
  'versions.processor': 'CPU',
  'versions.trainings': 'Trainings',
  'versions.trainingsOn': ({ launcher, cluster }: Trainings, f: Format) =>
    launcher === 'local'
      ? 'On this machine'
      : cluster === null
        ? `On a cluster (${launcher}) that is not responding`
        : `On a cluster (${launcher}): ${f.plural(cluster.nodes, { one: '1 node', other: `${f.number(cluster.nodes)} nodes` })}, ${f.plural(cluster.cpus, { one: '1 core', other: `${f.number(cluster.cpus)} cores` })}, ${f.plural(cluster.gpus, { one: '1 GPU', other: `${f.number(cluster.gpus)} GPUs` })}`,
  'versions.gpu': 'GPU',
  'versions.noGpu': 'None; trainings run on the CPU.',
  'role.read': 'can view everything',
  'role.run': 'can train, and change own work',
  'role.admin': 'administrator',
  'people.users': 'Users',
  'people.user': 'User',
  'people.role': 'Role',
  'people.running': 'Running trainings',
  'people.waiting': 'Queued trainings',
  'people.quotas': 'Quota',
  'people.of': ({ jobs, quota }: { jobs: number; quota: number }, f: Format) =>
    `${f.number(jobs)} of ${f.number(quota)}`,
  'people.set': 'Set quota',
  'people.set.title': ({ user }: { user: string }) => `Quota of ${user}`,
  'people.maxRunning': 'Maximum running trainings',
  'people.maxQueued': 'Maximum queued trainings',
  'people.noLimit': 'Leave empty for no limit',
  'people.defaultShare': 'Leave empty for half of the queue if there are several users',
  'people.save': 'Save',
  'tokens.title': 'Tokens',
  'tokens.none': 'No user has a token. To create one, run: medloom tokens create NAME.',
  'tokens.name': 'Purpose',
  'tokens.state': 'Status',
  'tokens.used': 'Last used',
  'tokens.action': 'Action',
  'tokens.never': 'Never',
  'tokens.good': 'Active',
  'tokens.until': ({ time }: { time: string }) => `Active until ${time}`,
  'tokens.expired': 'Expired',
  'tokens.revoked': 'Revoked',
  'tokens.revoke': 'Revoke',
  'tokens.revoke.title': ({ user, name }: { user: string; name: string }) =>
    `Revoke the token “${name}” of ${user}?`,
  'tokens.revoke.question':
    'Requests with this token are rejected immediately, its logins end and its open connections are closed. This cannot be undone; another token can be created.',
  'tokens.create': 'New token',
  'tokens.user.hint': 'A new name creates a new user.',
  'tokens.for': 'Purpose',
  'tokens.for.hint': 'For example, the name of a machine',
  'tokens.identifiers': 'Patient identifiers',
  'tokens.identifiers.yes': 'Readable; every read is recorded in the audit log',
  'tokens.identifiers.no': 'Hidden',
  'tokens.days': 'Expires in (days)',
  'tokens.days.hint': 'Leave empty if the token does not expire',
  'tokens.make': 'Create',
  'tokens.made': ({ user }: { user: string }) => `New token of ${user}`,
  'tokens.made.once': 'The token is shown only once; the service stores only its digest. Copy it now.',
  'tokens.secret': 'New token',
  'tokens.copy': 'Copy',
  'access.title': 'Access',
  'access.who': ({ user, role }: { user: string; role: string }) => `You are logged in as ${user}: ${role}.`,
  'access.open':
    'No token is required: only programs on this machine can reach the service. To serve other machines, start it with --token-file FILE.',
  'access.token':
    'A token is required. An administrator creates and revokes the tokens of users. A login ends when its token expires or is revoked.',
  'access.logout': 'Log out',
} satisfies Messages
