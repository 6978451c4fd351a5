import type {
  NodeState,
  PlanStep,
  Workflow,
  WorkflowIssue,
  WorkflowMessage,
  WorkflowResponse,
  WorkflowStatus,
} from '@medloom/contracts'
import { WebSocket } from 'ws'
import { type Drawn, draw } from '../../packages/server/testing/draw.js'
import { eventually } from '../../packages/server/testing/eventually.js'
import { patient } from './deadline.js'
import type { Caller } from './http.js'

export { type Drawn as Nodes, draw as workflow } from '../../packages/server/testing/draw.js'

/** Nodes of one table network without baselines, ready for training: connect data to train.train_dataset. */
export function tableModel(epochs = 2): { nodes: Drawn; wires: string[] } {
  return {
    nodes: {
      backbone: ['SelectBackbone', { model_name: 'none' }],
      fusion: ['SelectFusion', { strategy: 'concatenate', hidden_dim: 16, members: 1 }],
      model: ['BuildModel'],
      settings: ['ConfigureTraining', { epochs, batch_size: 8 }],
      train: ['TrainModel', { baselines: [] }],
    },
    wires: [
      'backbone.backbone_config > model.backbone_config',
      'fusion.fusion_config > model.fusion_config',
      'model.model > train.model',
      'settings.training_config > train.training_config',
    ],
  }
}

/** A training that a service with recordings replays for one epoch, and that then waits until it is canceled. */
export function longWorkflow(csv: string): Workflow {
  const { nodes, wires } = tableModel(50_000)
  return draw(
    { data: ['LoadTabular', { path: csv }], ...nodes },
    [...wires, 'data.dataframe > train.train_dataset'],
    'long pause=1 run',
  )
}

interface Refusal {
  code: string
  error: string
  details: string
  issues?: WorkflowIssue[]
}

/** Calls of the workflow endpoints, based only on the specification. */
export class Workflows {
  constructor(readonly caller: Caller) {}

  create = async (document: object): Promise<string> => {
    const { status, body } = await this.caller.post<WorkflowResponse>('/api/workflow/create', document)
    if (status !== 200) throw new Error(`create was refused: ${JSON.stringify(body)}`)
    return body.workflow_id
  }

  get = async (id: string) => (await this.caller.get<WorkflowResponse>(`/api/workflow/${id}`)).body

  /** Issues of a workflow, without running it. */
  issues = async (document: object): Promise<WorkflowIssue[]> =>
    (await this.get(await this.create(document))).issues

  /** Replaces it by the result of `change`. */
  change = async (id: string, change: (document: Workflow) => void): Promise<void> => {
    const { workflow: document, revision } = await this.get(id)
    change(document)
    const { status, body } = await this.caller.put(`/api/workflow/${id}`, { ...document, revision })
    if (status !== 200) throw new Error(`the change was refused: ${JSON.stringify(body)}`)
  }

  execute = (id: string, body: object = {}) =>
    this.caller.post<{ run_id: string; status: string; workflow_id: string } & Refusal>(
      `/api/workflow/${id}/execute`,
      body,
    )

  status = async (id: string): Promise<WorkflowStatus> =>
    (await this.caller.get<WorkflowStatus>(`/api/workflow/${id}/status`)).body

  plan = async (id: string, body: object = {}): Promise<Record<string, PlanStep>> => {
    const answer = await this.caller.post<{ steps: PlanStep[] }>(`/api/workflow/${id}/plan`, body)
    return Object.fromEntries(answer.body.steps.map((step) => [step.node, step]))
  }

  until = async (
    id: string,
    reached: (state: WorkflowStatus) => boolean,
    seconds = 120,
  ): Promise<WorkflowStatus> => {
    return eventually(() => this.status(id), reached, { within: patient(seconds), every: 60 })
  }

  /** Executes and waits for the end, whatever the outcome. */
  run = async (id: string, body: object = {}, seconds?: number): Promise<WorkflowStatus> => {
    const answer = await this.execute(id, body)
    if (answer.status !== 200) throw new Error(`the run was refused: ${JSON.stringify(answer.body)}`)
    const { run_id } = answer.body
    return this.until(
      id,
      (state) => state.run_id === run_id && !['pending', 'running'].includes(state.status),
      seconds,
    )
  }

  /** Creates and runs a workflow, and returns the final state of each node; throws the error of a failed node. */
  succeed = async (document: object): Promise<{ id: string; nodes: Record<string, NodeState> }> => {
    const id = await this.create(document)
    const { status, nodes } = await this.run(id)
    if (status !== 'success') throw new Error(`the run ended with ${status}: ${explain(nodes)}`)
    return { id, nodes }
  }

  /** The live messages until `last` is true or the socket closes. `begin` is called after the first one. */
  listen = (
    id: string,
    last: (message: WorkflowMessage) => boolean,
    begin: () => Promise<unknown> = async () => undefined,
  ): Promise<WorkflowMessage[]> =>
    new Promise((done, fail) => {
      const socket = new WebSocket(`${this.caller.url.replace(/^http/, 'ws')}/ws/workflow/${id}`)
      const messages: WorkflowMessage[] = []
      socket.on('message', (data) => {
        const message: WorkflowMessage = JSON.parse(String(data))
        messages.push(message)
        if (messages.length === 1) begin().catch(fail)
        if (last(message)) socket.close()
      })
      socket.on('error', fail)
      socket.on('close', () => done(messages))
    })
}

/** The message that ends a run, whatever the outcome. */
export function runEnded(message: WorkflowMessage): boolean {
  return message.type === 'run_status' && !['pending', 'running'].includes(message.status)
}

/** Errors of a run, for messages of failed tests. */
export function explain(nodes: Record<string, NodeState>): string {
  return Object.entries(nodes)
    .flatMap(([id, { error }]) => (error ? [`${id}: ${error.message} [${error.type}]\n${error.trace}`] : []))
    .join('\n')
}

export function statuses(nodes: Record<string, NodeState>): Record<string, string> {
  return Object.fromEntries(Object.entries(nodes).map(([id, { status }]) => [id, status]))
}
