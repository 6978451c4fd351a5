import type { TrainerOrder } from '../../ports/launcher.js'
import type { SlurmSettings } from '../../ports/slurm-settings.js'

/** The options of sbatch for an attempt. @param output file for the output before the trainer opens its log */
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
    // The job does not inherit the environment of the service; Slurm never restarts an attempt itself; of two jobs with the same name, only
    // one runs.
    ...['--export=NONE', '--no-requeue', '--dependency=singleton', '--open-mode=append', '--chdir=/'],
    `--output=${output.replaceAll('%', '%%')}`,
    ...['--nodes=1', '--ntasks=1', `--cpus-per-task=${cpus}`],
    ...(gpus > 0 ? [`--gres=gpu:${gpus}`] : []),
    ...(partition === null ? [] : [`--partition=${partition}`]),
    ...(account === null ? [] : [`--account=${account}`]),
    ...(qos === null ? [] : [`--qos=${qos}`]),
    ...(time === null ? [] : [`--time=${time}`]),
    ...(memory === null ? [] : [`--mem=${memory}`]),
    // The signal goes to the process of the script, which is the trainer.
    `--signal=B:TERM@${graceSeconds}`,
    ...options,
  ]
}
