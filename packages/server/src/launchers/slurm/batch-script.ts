import { childEnvironment } from '../../worker/environment.js'
import type { TrainerOrder } from '../launcher.js'
import { trainerCommand } from '../trainer-command.js'

export interface BatchScriptOptions {
  readonly order: TrainerOrder
  readonly python: string
  /** A file in a folder that the nodes have, by their path: whoever makes it first carries out the attempt. Null where there is no such folder. */
  readonly claim: string | null
}

/** Exit status of a job whose attempt another job has begun: EX_TEMPFAIL of sysexits.h. */
export const BEGUN_ELSEWHERE = 75
/** Exit status of a job whose node cannot write into the run directory: EX_CANTCREAT. */
export const NOT_WRITABLE = 73

/** Of the machine of the service; a node, or Slurm for its job, has its own. */
const OF_THE_NODE = [
  ...['HOME', 'USER', 'TMPDIR', 'TEMP', 'TMP', 'CUDA_VISIBLE_DEVICES', 'NVIDIA_VISIBLE_DEVICES'],
  ...['XDG_RUNTIME_DIR', 'XDG_SESSION_ID'],
]

/**
 * What a job of Slurm runs. It becomes the trainer, so that the signal before a time limit reaches that. An attempt begins once, also when
 * Slurm starts its job again, or was given it twice since an answer was lost.
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

/** Only a link that is there says that another job has begun: a folder may be absent on a node, or read-only. */
function claimed(claim: string): string {
  return `ln -s "$SLURM_JOB_ID" ${claim} || { [ -L ${claim} ] && exit ${BEGUN_ELSEWHERE}; exit ${NOT_WRITABLE}; }`
}

/** A word of a shell that means itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
