import type { Arrived, Task } from '@medloom/workflow'
import { contentsAt, type ExecutionContext, type NodeResult } from './executor.js'
import { computeInWorker } from './worker-node.js'

/** The same task with one set of cases at each of these ports: if images and a table arrive, the worker joins them by case id. */
export async function joinCases(
  task: Task,
  context: ExecutionContext,
  ports: readonly string[],
): Promise<Task> {
  const meeting = ports.filter((port) => contentsAt(task, port).length > 1)
  if (meeting.length === 0) return task
  const inputs = Object.fromEntries(meeting.map((port) => [port, task.inputs[port] ?? []]))
  const joined: Readonly<Record<string, NodeResult>> = await computeInWorker(
    { ...task, inputs },
    context,
    {},
    'JoinCases',
  )
  const replaced = meeting.map((port): [string, Arrived[]] => {
    const [first] = task.inputs[port] ?? []
    const result = joined[port]
    if (!first || !result) throw new Error(`the cases at "${port}" were not joined`)
    return [port, [{ ...first, value: { ...first.value, ...result } }]]
  })
  return { ...task, inputs: { ...task.inputs, ...Object.fromEntries(replaced) } }
}
