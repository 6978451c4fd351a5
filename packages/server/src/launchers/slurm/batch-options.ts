import type { TrainerOrder } from '../launcher.js'
import type { SlurmSettings } from './slurm-settings.js'

/** The options of sbatch for an attempt. @param output what is printed before the trainer takes its log */
export function optionsOf(
  { resources }: Pick<TrainerOrder, 'resources'>,
  name: string,
  settings: SlurmSettings,
  output: string,
): string[] {
  const { partition, account, qos, time, memory, graceSeconds, options } = settings
  const { cpus, gpus } = resources
  return [
    `--job-name=${name}`,
    // The environment of the service is not that of the job; Slurm never restarts an attempt on its own; of two of a name one runs.
    ...['--export=NONE', '--no-requeue', '--dependency=singleton', '--open-mode=append', '--chdir=/'],
    `--output=${output.replaceAll('%', '%%')}`,
    ...['--nodes=1', '--ntasks=1', `--cpus-per-task=${cpus}`],
    ...(gpus > 0 ? [`--gres=gpu:${gpus}`] : []),
    ...(partition === null ? [] : [`--partition=${partition}`]),
    ...(account === null ? [] : [`--account=${account}`]),
    ...(qos === null ? [] : [`--qos=${qos}`]),
    ...(time === null ? [] : [`--time=${time}`]),
    ...(memory === null ? [] : [`--mem=${memory}`]),
    // To the process of the script, which is the trainer.
    `--signal=B:TERM@${graceSeconds}`,
    ...options,
  ]
}
