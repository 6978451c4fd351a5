import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from './free-ports.js'

export interface SlurmClusterOptions {
  /** Cores of each node. */
  readonly nodes: readonly number[]
  /** Number per node, without real devices. */
  readonly gpus?: number
  /** With slurmdbd, so that sacct works; it needs a MariaDB at 127.0.0.1. */
  readonly accounting?: boolean
  /** Seconds after which the controller forgets a job that has ended. */
  readonly minJobAge?: number
}

/** A separate cluster on this machine: its daemons in the foreground, with their own configuration and ports, without munge. */
export interface SlurmCluster {
  /** Environment of the Slurm commands. */
  readonly env: NodeJS.ProcessEnv
  /** The standard output of a command of Slurm. */
  run(program: string, ...args: string[]): Promise<string>
  stopController(): Promise<void>
  startController(): Promise<void>
  /** Resolves once every job is completely gone. */
  cancelAll(): Promise<void>
  /** The node is lost with everything that runs on it, like a failed machine. */
  killNode(index: number): Promise<void>
  close(): Promise<void>
}

const DATABASE = ['-h', '127.0.0.1', '-P', '3306', '-u', 'root']

/** Returns true if this machine has the daemons of Slurm; otherwise prints the reason and returns false. */
export function hasSlurm({ accounting = false } = {}): boolean {
  const programs = ['slurmctld', 'slurmd', 'sbatch', ...(accounting ? ['slurmdbd', 'mysql'] : [])]
  const absent = programs.filter((program) => spawnSync(program, ['-V']).error !== undefined)
  if (absent.length > 0)
    console.warn(`tests with a Slurm cluster are skipped: ${absent.join(', ')} not installed`)
  else if (!accounting || spawnSync('mysql', [...DATABASE, '-e', 'SELECT 1']).status === 0) return true
  else console.warn('tests with the accounting of Slurm are skipped: no MariaDB answers at 127.0.0.1:3306')
  return false
}

/** @returns once every node can run jobs. */
export async function startSlurmCluster(options: SlurmClusterOptions): Promise<SlurmCluster> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'slurm-')))
  const database = `medloom_slurm_${randomBytes(6).toString('hex')}`
  const ports = await freePorts(2 + options.nodes.length)
  const config = join(folder, 'slurm.conf')
  writeFileSync(config, configuration(folder, options, ports))
  writeFileSync(
    join(folder, 'gres.conf'),
    options.gpus ? `Name=gpu Type=test File=${folder}/gpu[1-${options.gpus}]\n` : '',
  )
  for (let number = 1; number <= (options.gpus ?? 0); number++)
    writeFileSync(join(folder, `gpu${number}`), '')
  writeFileSync(join(folder, 'slurmdbd.conf'), accounting(folder, database, ports), { mode: 0o600 })
  for (const name of ['state', ...options.nodes.map((_, index) => `spool.n${index}`)])
    mkdirSync(join(folder, name))
  const env = { ...process.env, SLURM_CONF: config }
  const running = new Map<string, ChildProcess>()
  const start = (name: string, program: string, ...args: string[]) => {
    running.set(name, startDaemon(program, ['-D', ...args], env))
  }
  const stop = async (name: string, signal: NodeJS.Signals) => {
    const daemon = running.get(name)
    running.delete(name)
    if (daemon) await endDaemon(daemon, signal)
  }
  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(program, args, { env })).stdout
  const answers = (program: string, ...args: string[]) =>
    run(program, ...args).then(
      (text) => text,
      () => null,
    )
  const startController = async () => {
    start('slurmctld', 'slurmctld', '-f', config)
    await until(async () => (await answers('scontrol', 'ping'))?.includes('UP') === true)
  }
  const cluster: SlurmCluster = {
    env,
    run,
    startController,
    // A signal that lets it save its state: jobs that it forgets are killed on the nodes.
    stopController: () => stop('slurmctld', 'SIGTERM'),
    async cancelAll() {
      await answers('scancel', `--user=${userInfo().uid}`)
      await until(
        async () => (await answers('squeue', '--noheader', '--states=pending,running,completing')) === '',
      )
    },
    async killNode(index) {
      await stop(`n${index}`, 'SIGKILL')
      await answers('scontrol', 'update', `NodeName=n${index}`, 'State=DOWN', 'Reason=lost')
    },
    async close() {
      await answers('scancel', `--user=${userInfo().uid}`)
      for (const name of [...running.keys()].reverse()) await stop(name, 'SIGKILL')
      if (options.accounting) spawnSync('mysql', [...DATABASE, '-e', `DROP DATABASE IF EXISTS ${database}`])
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
  try {
    if (options.accounting) {
      start('slurmdbd', 'slurmdbd')
      await until(async () => (await answers('sacctmgr', '-n', 'list', 'cluster')) !== null)
    }
    await startController()
    for (const index of options.nodes.keys()) start(`n${index}`, 'slurmd', '-f', config, '-N', `n${index}`)
    const idle = async () =>
      ((await answers('sinfo', '-h', '-N', '-p', 'main', '-o', '%T')) ?? '').match(/^idle$/gm) ?? []
    await until(async () => (await idle()).length === options.nodes.length)
  } catch (error) {
    const logs = readdirSync(folder).filter((name) => name.endsWith('.log'))
    const excerpts = logs.map((name) => `${name}:\n${readFileSync(join(folder, name), 'utf8').slice(-2000)}`)
    await cluster.close()
    throw new Error(`the Slurm cluster did not start\n${excerpts.join('\n')}`, { cause: error })
  }
  return cluster
}

function configuration(folder: string, options: SlurmClusterOptions, ports: readonly number[]): string {
  const [controller, database, ...nodes] = ports
  const { username } = userInfo()
  const lines = [
    'ClusterName=medloom',
    `SlurmctldHost=${hostname()}(127.0.0.1)`,
    `SlurmctldPort=${controller}`,
    `SlurmUser=${username}`,
    `SlurmdUser=${username}`,
    ...[
      'AuthType=auth/none',
      'CredType=cred/none',
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
    ],
    ...['SelectType=select/cons_tres', 'SelectTypeParameters=CR_CPU', 'MpiDefault=none', 'ReturnToService=2'],
    ...['JobAcctGatherType=jobacct_gather/none', 'KillWait=5', `MinJobAge=${options.minJobAge ?? 300}`],
    'SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0',
    `SlurmctldPidFile=${folder}/slurmctld.pid`,
    `SlurmdPidFile=${folder}/slurmd.%n.pid`,
    `StateSaveLocation=${folder}/state`,
    `SlurmdSpoolDir=${folder}/spool.%n`,
    `SlurmctldLogFile=${folder}/slurmctld.log`,
    `SlurmdLogFile=${folder}/slurmd.%n.log`,
    ...(options.accounting
      ? [
          'AccountingStorageType=accounting_storage/slurmdbd',
          'AccountingStorageHost=127.0.0.1',
          `AccountingStoragePort=${database}`,
        ]
      : ['AccountingStorageType=accounting_storage/none']),
    ...(options.gpus ? ['GresTypes=gpu'] : []),
    ...options.nodes.map(
      (cpus, index) =>
        `NodeName=n${index} NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${nodes[index]} CPUs=${cpus}${options.gpus ? ` Gres=gpu:test:${options.gpus}` : ''} State=UNKNOWN`,
    ),
    'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 State=UP',
    'PartitionName=short Nodes=ALL Default=NO MaxTime=1 State=UP',
    // Its jobs preempt those of the other partitions.
    ...['PreemptType=preempt/partition_prio', 'PreemptMode=CANCEL'],
    'PartitionName=urgent Nodes=ALL Default=NO PriorityTier=10 PreemptMode=OFF State=UP',
  ]
  return `${lines.join('\n')}\n`
}

function accounting(folder: string, database: string, [, port]: readonly number[]): string {
  return `${[
    'AuthType=auth/none',
    `DbdHost=${hostname()}`,
    'DbdAddr=127.0.0.1',
    `DbdPort=${port}`,
    `SlurmUser=${userInfo().username}`,
    `PidFile=${folder}/slurmdbd.pid`,
    `LogFile=${folder}/slurmdbd.log`,
    'StorageType=accounting_storage/mysql',
    'StorageHost=127.0.0.1',
    'StoragePort=3306',
    'StorageUser=root',
    `StorageLoc=${database}`,
  ].join('\n')}\n`
}

/** A separate process group: the controller starts a process for its scripts. */
function startDaemon(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true })
  const killAtExit = () => signalGroup(child, 'SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  return child
}

async function endDaemon(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  signalGroup(child, signal)
  await ended
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has no processes any more.
  }
}

const PATIENCE_MILLISECONDS = 30_000

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (const start = performance.now(); !(await reached()); ) {
    if (performance.now() - start > PATIENCE_MILLISECONDS) throw new Error('waited in vain')
    await new Promise((resume) => setTimeout(resume, 100))
  }
}
