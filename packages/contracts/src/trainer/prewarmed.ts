import { z } from 'zod'

/**
 * Messages between the service and a prewarmed trainer: JSON lines over pipes. The prewarmed trainer has finished its imports; it creates a
 * process for each job, whose pid the service records before it hands over the job.
 */
export const PrewarmedRequest = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('fork'), mark: z.string() })
      .meta({ description: 'Make a process that waits for a job; mark: the mark of what it starts' }),
    z
      .strictObject({ type: z.literal('begin'), pid: z.int(), spec: z.string() })
      .meta({ description: 'Hand a job to that process; spec: absolute path of spec.json' }),
    z
      .strictObject({ type: z.literal('dismiss'), pid: z.int() })
      .meta({ description: 'That process is not needed: it exits without having trained' }),
  ])
  .meta({ id: 'PrewarmedRequest' })
export type PrewarmedRequest = z.infer<typeof PrewarmedRequest>

export const PrewarmedReply = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('ready') }).meta({ description: 'All imports are done' }),
    z.object({ type: z.literal('forked'), pid: z.int() }).meta({
      description:
        'The process that waits; its own pid where the system allows no fork: it then takes one job',
    }),
    z.object({ type: z.literal('ended'), pid: z.int(), ending: z.string() }).meta({
      description: 'A process has ended; ending: "exit code 0" or "killed by SIGKILL"',
    }),
  ])
  .meta({ id: 'PrewarmedReply' })
export type PrewarmedReply = z.infer<typeof PrewarmedReply>
