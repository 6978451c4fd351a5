import { z } from 'zod'
import { WorkerReply, WorkerRequest } from './tasks.js'

/** Requests to the gateway, which forwards tasks to the nodes of a cluster: any number of tasks at a time, by id. */
export const GatewayRequest = z
  .discriminatedUnion('type', [
    WorkerRequest.extend({ type: z.literal('run') }),
    z
      .strictObject({ type: z.literal('cancel'), id: z.string() })
      .meta({ description: 'Stop the worker of the task; no further messages follow' }),
  ])
  .meta({ id: 'GatewayRequest' })

const ClusterNode = z.object({
  node: z.string().meta({ description: 'Node id from Ray' }),
  address: z.string(),
  cpus: z.int(),
})

/** Messages of the gateway: unchanged replies of workers, and its own messages. */
export const GatewayMessage = z
  .discriminatedUnion('type', [
    ...WorkerReply.options,
    z
      .object({ type: z.literal('cluster'), nodes: z.array(ClusterNode) })
      .meta({ description: 'Available nodes; sent at each change' }),
    z
      .object({
        type: z.literal('placed'),
        id: z.string(),
        node: z.string(),
        input_bytes: z
          .int()
          .meta({ description: 'Size of the files that the task reads from the artifact store' }),
        local_bytes: z.int().meta({ description: 'Size of those files that are already on the node' }),
      })
      .meta({ description: 'A worker starts the task, possibly again after a worker was lost' }),
    z
      .object({ type: z.literal('waiting'), id: z.string() })
      .meta({ description: 'The worker of the task was lost; the task waits for another worker' }),
    z
      .object({
        type: z.literal('ended'),
        id: z.string(),
        code: z.int().nullable(),
        signal: z.string().nullable(),
        stderr: z.string().meta({ description: 'End of the standard error output' }),
      })
      .meta({ description: 'The process of the task ended without a reply' }),
    z
      .object({ type: z.literal('lost'), id: z.string(), message: z.string() })
      .meta({ description: 'The workers of the task were lost, for example with their nodes' }),
    z
      .object({ type: z.literal('unreachable'), message: z.string() })
      .meta({ description: 'No cluster responds at the address; the gateway ends' }),
  ])
  .meta({ id: 'GatewayMessage' })
