import { debianProgram, programOnPath } from './debian-program.mjs'

/** Programs that the tests start as separate daemons with their own configuration and ports. */
const PROGRAMS = ['slurmctld', 'slurmd', 'sbatch']
const MISSING =
  'The tests with a Slurm cluster are skipped: Slurm is not installed. Install it (Debian: apt-get install slurm-wlm).'

/** Slurm for the cluster tests. */
export function slurm(root, env) {
  return debianProgram({
    ...{ root, env },
    title: 'Slurm for the tests with a cluster (apt-get install slurm-wlm)',
    isPresent: () => PROGRAMS.every((program) => programOnPath(program, env.PATH) !== null),
    choices: [['slurm-wlm']],
    missing: MISSING,
  })
}
