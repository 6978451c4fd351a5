import type { AddCommand, MedloomCommand } from './command.js'
import { addFinish, addResume, addStop } from './commands/jobs/control.js'
import { addJobList } from './commands/jobs/list.js'
import { addLogs } from './commands/jobs/logs.js'
import { addJobRemove } from './commands/jobs/remove.js'
import { addJobStatus } from './commands/jobs/status.js'
import { addWatch } from './commands/jobs/watch.js'
import { addBackbones } from './commands/models/backbones.js'
import { addEvaluate } from './commands/models/evaluate.js'
import { addTrain } from './commands/train.js'
import type { CommandContext } from './context.js'

/** Short forms of grouped commands. They behave like the commands, and the help lists them in one line. */
const ALIASES: Readonly<Record<string, readonly [meaning: string, AddCommand]>> = {
  start: ['train', addTrain],
  ls: ['jobs ls', addJobList],
  status: ['jobs status', addJobStatus],
  watch: ['jobs watch', addWatch],
  logs: ['jobs logs', addLogs],
  stop: ['jobs stop', addStop],
  finish: ['jobs finish', addFinish],
  resume: ['jobs resume', addResume],
  rm: ['jobs rm', addJobRemove],
  eval: ['models evaluate', addEvaluate],
  backbones: ['models backbones', addBackbones],
}

export function addAliases(program: MedloomCommand, context: CommandContext): void {
  for (const [name, [meaning, add]] of Object.entries(ALIASES)) add(program, context, name).aliasOf = meaning
}
