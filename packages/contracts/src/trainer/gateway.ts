import { z } from 'zod'
import { WorkerReply, WorkerRequest } from './tasks.js'

/** Requests to the gateway, which forwards tasks to the nodes of a cluster: any number of tasks at a time, by id. */
export const GatewayRequest = z
  .discriminatedUnion('type', [
    WorkerRequest.extend({ type: z.literal('run') }),
    z
      .strictObject({ type: z.literal('cancel'), id: z.string() })
      .meta({ description: 'Its worker is ended, and nothing more is said of it' }),
  ])
  .meta({ id: 'GatewayRequest' })

const ClusterNode = z.object({
  node: z.string().meta({ description: 'Id that Ray has given it' }),
  address: z.string(),
  cpus: z.int(),
})

/** Messages of the gateway: unchanged replies of workers, and its own messages. */
export const GatewayMessage = z
  .discriminatedUnion('type', [
    ...WorkerReply.options,
    z
      .object({ type: z.literal('cluster'), nodes: z.array(ClusterNode) })
      .meta({ description: 'Nodes that can compute; whenever they change' }),
    z
      .object({
        type: z.literal('placed'),
        id: z.string(),
        node: z.string(),
        input_bytes: z
          .int()
          .meta({ description: 'Of the files that the task reads from the artifact store' }),
        local_bytes: z.int().meta({ description: 'Of these, what the node has read or written before' }),
      })
      .meta({ description: 'A worker begins with the task; again where the first one was lost' }),
    z
      .object({ type: z.literal('waiting'), id: z.string() })
      .meta({ description: 'Its worker is gone, and it waits for another one' }),
    z
      .object({
        type: z.literal('ended'),
        id: z.string(),
        code: z.int().nullable(),
        signal: z.string().nullable(),
        stderr: z.string().meta({ description: 'Its end' }),
      })
      .meta({ description: 'The process that computed it ended without a reply' }),
    z
      .object({ type: z.literal('lost'), id: z.string(), message: z.string() })
      .meta({ description: 'Its workers were lost, with their nodes for example' }),
    z
      .object({ type: z.literal('unreachable'), message: z.string() })
      .meta({ description: 'There is no cluster at the address; the gateway ends' }),
  ])
  .meta({ id: 'GatewayMessage' })
