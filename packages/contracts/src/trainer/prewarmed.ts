import { z } from 'zod'
import { phrasesOf } from '../phrases/phrase.js'

/**
 * Messages between the service and a prewarmed trainer: JSON lines over pipes. The prewarmed trainer has finished its imports; it creates a
 * process for each job, whose pid the service records before it hands over the job.
 */
export const PrewarmedRequest = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('fork'), mark: z.string() }).meta({
      description: 'Create a process that waits for a job; mark: marker of the processes that it starts',
    }),
    z
      .strictObject({ type: z.literal('begin'), pid: z.int(), spec: z.string() })
      .meta({ description: 'Assign a job to the waiting process; spec: absolute path of spec.json' }),
    z
      .strictObject({ type: z.literal('dismiss'), pid: z.int() })
      .meta({ description: 'End the waiting process without a training' }),
  ])
  .meta({ id: 'PrewarmedRequest' })
export type PrewarmedRequest = z.infer<typeof PrewarmedRequest>

export const PrewarmedReply = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('ready') }).meta({ description: 'All imports are loaded' }),
    z.object({ type: z.literal('forked'), pid: z.int() }).meta({
      description:
        'The waiting process; its own pid if the system does not allow fork, and it then runs one job',
    }),
    z
      .object({
        type: z.literal('ended'),
        pid: z.int(),
        ending: z.string(),
        ending_phrases: phrasesOf('ending'),
      })
      .meta({ description: 'A process ended; ending: "exit code 0" or "killed by SIGKILL"' }),
  ])
  .meta({ id: 'PrewarmedReply' })
export type PrewarmedReply = z.infer<typeof PrewarmedReply>
