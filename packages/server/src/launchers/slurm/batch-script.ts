import { childEnvironment } from '../../child-environment.js'
import type { TrainerOrder } from '../../ports/launcher.js'
import { trainerCommand } from '../trainer-command.js'

export interface BatchScriptOptions {
  readonly order: TrainerOrder
  readonly python: string
  /**
   * A file in a folder that the nodes have, as a path of the nodes: the job that creates it first executes the attempt. Null if there is no
   * such folder.
   */
  readonly claim: string | null
}

/** Exit status of a job whose attempt another job has started: EX_TEMPFAIL of sysexits.h. */
export const BEGUN_ELSEWHERE = 75
/** Exit status of a job whose node cannot write into the run directory: EX_CANTCREAT. */
export const NOT_WRITABLE = 73

/** Variables of the service's machine; a node, or Slurm for its job, has its own values. */
const OF_THE_NODE = [
  ...['HOME', 'USER', 'TMPDIR', 'TEMP', 'TMP', 'CUDA_VISIBLE_DEVICES', 'NVIDIA_VISIBLE_DEVICES'],
  ...['XDG_RUNTIME_DIR', 'XDG_SESSION_ID'],
]

/**
 * Script of a Slurm job. It becomes the trainer, so that the trainer receives the signal before a time limit. An attempt starts only once,
 * even if Slurm restarts its job, or received it twice because an answer was lost.
 */
export function batchScript({ order, python, claim }: BatchScriptOptions): string {
  const { argv, environment } = trainerCommand(python, order)
  const variables = Object.entries({ ...childEnvironment(), ...environment }).filter(
    ([name]) => /^[A-Za-z_]\w*$/.test(name) && !OF_THE_NODE.includes(name),
  )
  return [
    '#!/bin/sh',
    `# Attempt ${order.attempt} of the training job ${order.job_id}.`,
    'umask 077',
    ...(claim === null ? [] : [claimed(quoted(claim))]),
    ...variables.map(([name, value]) => `export ${name}=${quoted(value)}`),
    `exec ${argv.map(quoted).join(' ')}`,
    '',
  ].join('\n')
}

/** Only an existing link shows that another job has started: a folder may be missing on a node, or be read-only. */
function claimed(claim: string): string {
  return `ln -s "$SLURM_JOB_ID" ${claim} || { [ -L ${claim} ] && exit ${BEGUN_ELSEWHERE}; exit ${NOT_WRITABLE}; }`
}

/** Quotes a text as a literal word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
