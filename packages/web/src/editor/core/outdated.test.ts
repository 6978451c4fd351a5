import { type PlanStep, readWorkflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import type { Document } from './document'
import { outdatedNodes } from './outdated'

function chain(...ids: string[]): Document {
  const nodes = ids.map((id) => ({ id, type: 'DataSplit', position: { x: 0, y: 0 }, config: {} }))
  const connections = ids.slice(1).map((target, index) => ({
    id: `c-${index}`,
    source: ids[index],
    source_port: 'dataset',
    target,
    target_port: 'dataset',
  }))
  const read = readWorkflow({ version: '1.1', metadata: { name: 'chain' }, nodes, connections })
  if (!read.ok) throw new Error('the chain is not a workflow')
  return read.value
}
type Step = Pick<PlanStep, 'node' | 'action' | 'reason'>
const step = (node: string, action: Step['action'], reason: Step['reason']): Step => ({
  node,
  action,
  reason,
})
const outdated = (...steps: Step[]) => [...outdatedNodes(chain('load', 'split', 'train', 'test'), steps)]

describe('outdated results', () => {
  it('are those of a node whose configuration changed, and of all that follow it', () => {
    const steps = [
      step('load', 'reuse', 'cached'),
      step('split', 'run', 'config_changed'),
      step('train', 'run', 'upstream_runs'),
      step('test', 'run', 'upstream_runs'),
    ]
    expect(outdated(...steps)).toEqual(['split', 'train', 'test'])
  })

  it('are passed on by a node that is bypassed', () => {
    const steps = [
      step('load', 'run', 'source_changed'),
      step('split', 'skip', 'bypassed'),
      step('train', 'run', 'upstream_runs'),
    ]
    expect(outdated(...steps)).toContain('train')
  })

  it('are not those that only left the cache, or that no one knows', () => {
    const steps = [
      step('load', 'run', 'not_cached'),
      step('split', 'run', 'upstream_runs'),
      step('train', 'run', 'source_unknown'),
      step('test', 'run', 'never_run'),
    ]
    expect(outdated(...steps)).toEqual([])
  })
})
