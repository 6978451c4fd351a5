import { describe, expect, it } from 'vitest'
import { declaredSettings, NODES, readWorkflow, TrainingConfig } from '../index.js'
import { nodeSize } from './node-size.js'
import { workflowOfTraining } from './workflow-of-training.js'

const config = (changes: { data?: object; model?: object; training?: object } = {}) =>
  TrainingConfig.parse({
    data: { train_csv: '/data/train.csv', image_size: [64, 48], scaling: 'robust', ...changes.data },
    model: {
      vision_backbone: 'resnet18',
      fusion_type: 'gated',
      hidden_dim: 64,
      task: 'classification',
      ...changes.model,
    },
    training: { epochs: 7, batch_size: 24, optimizer: 'sgd', ...changes.training },
  })

describe('a training as a workflow', () => {
  it('is valid, and its nodes have the settings of the configuration', () => {
    const given = config({ data: { val_csv: '/data/val.csv' } })
    const { workflow, lost } = workflowOfTraining(given, 'Lesions')
    expect(readWorkflow(JSON.parse(JSON.stringify(workflow))).ok).toBe(true)
    expect(lost).toEqual([])
    const settings = Object.assign(
      {},
      ...workflow.nodes.map(({ type, config: own }) => {
        const definition = NODES[type as keyof typeof NODES]
        return declaredSettings(definition as never, definition.config.parse(own) as never)
      }),
    )
    const value = (key: string) => settings[key]?.value
    expect(value('data.image_size')).toEqual([64, 48])
    expect(value('training.optimizer')).toBe('sgd')
    expect([value('training.epochs'), value('training.batch_size')]).toEqual([7, 24])
    expect([value('model.hidden_dim'), value('data.scaling')]).toEqual([64, 'robust'])
    const loaded = workflow.nodes.filter(({ type }) => type === 'LoadDataset')
    expect(loaded.map(({ config: own }) => own.dataset_id)).toEqual(['/data/train.csv', '/data/val.csv'])
  })

  it('names what a training infers from the data and a node decides', () => {
    expect(workflowOfTraining(config({ model: { task: null } }), '').lost).toEqual(['model.task'])
    expect(workflowOfTraining(config({ training: { gradient_clip: null } }), '').lost).toEqual([
      'training.gradient_clip',
    ])
  })

  it('places the nodes without overlap', () => {
    const { nodes } = workflowOfTraining(config({ data: { val_csv: '/data/val.csv' } }), '').workflow
    const boxes = nodes.map(({ type, position: { x, y } }) => {
      const { width, height } = nodeSize(NODES[type as keyof typeof NODES])
      return { left: x, right: x + width, top: y, bottom: y + height }
    })
    for (const [index, a] of boxes.entries())
      for (const b of boxes.slice(index + 1)) {
        const apart = a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top
        expect(apart, JSON.stringify([a, b])).toBe(true)
      }
  })

  it('names the keys that no node has', () => {
    const { lost } = workflowOfTraining(config({ training: { weight_decay: 0.5, seed: 3 } }), '')
    expect(lost).toEqual(expect.arrayContaining(['training.weight_decay']))
    expect(lost).not.toContain('training.epochs')
  })

  it('has no node for what the model does not read', () => {
    const table = TrainingConfig.parse({
      data: { train_csv: '/data/train.csv' },
      model: { vision_backbone: 'none', fusion_type: 'concatenate' },
      training: { epochs: 1, batch_size: 2 },
    })
    const { workflow } = workflowOfTraining(table, '')
    const types = workflow.nodes.map(({ type }) => type)
    expect(types).not.toContain('ImagePreprocess')
    expect(types).toContain('TabularPreprocess')
  })
})
