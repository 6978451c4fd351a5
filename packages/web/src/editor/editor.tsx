import { ReactFlowProvider } from '@xyflow/react'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { Problem } from '../components/problem'
import { Tabs } from '../components/tabs'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import { FlowCanvas } from './canvas/flow-canvas'
import { useFit } from './canvas/use-overview'
import type { Catalog } from './core/ports'
import styles from './editor.module.css'
import { FindDialog } from './find-dialog'
import { HelpDialog } from './help-dialog'
import { Outline } from './outline/outline'
import { ConnectDialog } from './panel/connect-dialog'
import { Inspector } from './panel/inspector'
import { Palette } from './panel/palette'
import { StaleNotice } from './panel/stale-notice'
import type { EditorSearch } from './search'
import { Checking } from './state/checking'
import { type Connecting, EditorContext, LookContext, RunsContext, useEditor } from './state/context'
import type { Editing } from './state/editing'
import type { RunStates } from './state/run-states'
import { Toolbar } from './toolbar'
import { useCommands } from './use-commands'
import { useGoTo } from './use-go-to'

export interface EditorProps {
  readonly editing: Editing
  readonly runs: RunStates
  readonly catalog: Catalog
  readonly search: EditorSearch
  readonly onSearch: (change: Partial<EditorSearch>) => void
}

/** The workflow editor: node palette on the left, canvas, and inspector on the right. Panels do not cover the canvas. */
export function Editor(props: EditorProps) {
  return (
    <ReactFlowProvider>
      <Provided {...props} />
    </ReactFlowProvider>
  )
}

function Provided(props: EditorProps) {
  const { editing, runs, catalog, onSearch } = props
  const [connecting, setConnecting] = useState<Connecting | null>(null)
  const goTo = useGoTo(editing)
  const [checking] = useState(() => new Checking(editing, runs))
  const fit = useFit(catalog)
  const [editor] = useState(() => ({
    editing,
    runs,
    checking,
    catalog,
    askConnect: setConnecting,
    goTo,
    showAll: () => fit(editing.document),
  }))
  useEffect(checking.begin, [checking])
  const look = useCallback(
    (node: string, port?: string) => {
      goTo(node)
      onSearch({ view: 'result', port })
    },
    [goTo, onSearch],
  )
  return (
    <EditorContext value={editor}>
      <RunsContext value={runs}>
        <LookContext value={look}>
          <Parts {...props} />
        </LookContext>
        {connecting && <ConnectDialog {...connecting} onClose={() => setConnecting(null)} />}
      </RunsContext>
    </EditorContext>
  )
}

function Parts({ search, onSearch }: EditorProps) {
  const editor = useEditor()
  const { problem: unsaved } = useSyncExternalStore(editor.editing.subscribe, editor.editing.state)
  const [dialog, setDialog] = useState<'find' | 'help' | null>(null)
  const { commands, problem, unqueue, said } = useCommands(editor, setDialog, onSearch)
  const close = () => setDialog(null)
  return (
    <div className={styles.editor}>
      <Toolbar commands={commands} unqueue={unqueue} />
      <StaleNotice />
      {(problem ?? unsaved) && <Problem error={problem ?? unsaved} />}
      <div className={styles.parts}>
        <Side search={search} onSearch={onSearch} />
        <FlowCanvas />
        <Inspector commands={commands} search={search} onSearch={onSearch} />
      </div>
      <p role="status" className="visually-hidden">
        {said}
      </p>
      {dialog === 'find' && <FindDialog commands={commands} onClose={close} />}
      {dialog === 'help' && <HelpDialog commands={commands} onClose={close} />}
    </div>
  )
}

function Side({ search, onSearch }: Pick<EditorProps, 'search' | 'onSearch'>) {
  const t = useText(text)
  return (
    <aside className={styles.side} aria-label={t('side')}>
      <Tabs
        label={t('side')}
        open={search.side ?? 'add'}
        onOpen={(side) => onSearch({ side })}
        tabs={[
          { id: 'add', title: t('side.add'), content: () => <Palette /> },
          { id: 'outline', title: t('side.outline'), content: () => <Outline /> },
        ]}
      />
    </aside>
  )
}
