import { Button } from '../../components/button'
import { Tabs } from '../../components/tabs'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import type { Command } from '../commands'
import { nodeOf } from '../core/document'
import editorStyles from '../editor.module.css'
import { type EditorSearch, VIEWS } from '../search'
import { useEditor, useEditState, useNodeState } from '../state/context'
import { AlignmentPanel } from './alignment-panel'
import styles from './panels.module.css'
import { Plan } from './plan'
import { Problems } from './problems'
import { Result } from './result'
import { LatestRunLog } from './run-log'
import { Settings } from './settings'
import { WirePanel } from './wire-panel'
import { WorkflowPanel } from './workflow-panel'

const OF_WIRE = ['do.delete'] as const
const OF_SELECTION = ['do.runHere', 'do.runAgain', 'do.duplicate', 'do.delete'] as const

/** Details of the selection, or of the whole workflow while nothing is selected. */
export function Inspector({
  commands,
  search,
  onSearch,
}: {
  readonly commands: readonly Command[]
  readonly search: EditorSearch
  readonly onSearch: (change: Partial<EditorSearch>) => void
}) {
  const t = useText(text)
  const { catalog } = useEditor()
  const { nodes, wires, history } = useEditState()
  const [first] = nodes
  const node = nodes.size === 1 && first !== undefined ? nodeOf(history.document, first) : undefined
  const wire =
    nodes.size === 0 && wires.size === 1
      ? history.document.connections.find(({ id }) => wires.has(id))
      : undefined
  const title = node
    ? (catalog.get(node.type)?.title ?? t('unknown'))
    : t(wire ? 'wire.title' : 'workflow.title')
  const content = {
    settings: () => {
      if (node) return <Settings node={node} />
      if (wire) return <WirePanel wire={wire} />
      return nodes.size === 0 ? <WorkflowPanel /> : <AlignmentPanel commands={commands} />
    },
    result: () =>
      node ? (
        <NodeResult id={node.id} port={search.port} onPort={(port) => onSearch({ port })} />
      ) : (
        <p className={styles.soft}>{t('result.choose')}</p>
      ),
    problems: () => <Problems />,
    plan: () => <Plan />,
    log: () => <LatestRunLog />,
  }
  return (
    <aside className={editorStyles.side} aria-label={t('views')}>
      <h2 dir="auto">{nodes.size > 1 ? t('nodes.selected', { count: nodes.size }) : title}</h2>
      {(nodes.size > 0 || wire) && (
        <div className={styles.actions}>
          {(wire ? OF_WIRE : OF_SELECTION).map((id) => {
            const found = commands.find((one) => one.id === id)
            return (
              <Button key={id} isDisabled={!found?.enabled} onPress={() => found?.run()}>
                {t(id)}
              </Button>
            )
          })}
        </div>
      )}
      <Tabs
        label={t('views')}
        open={search.view ?? 'settings'}
        onOpen={(view) => onSearch({ view })}
        tabs={VIEWS.map((id) => ({ id, title: t(`view.${id}`), content: content[id] }))}
      />
    </aside>
  )
}

function NodeResult({
  id,
  ...port
}: {
  readonly id: string
  readonly port: string | undefined
  readonly onPort: (port: string) => void
}) {
  const { workflowId } = useEditor().session
  return <Result workflowId={workflowId} node={id} state={useNodeState(id)} {...port} />
}
