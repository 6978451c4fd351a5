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
import {
  type ConnectRequest,
  EditorContext,
  OpenResultContext,
  RunsContext,
  useEditor,
} from './state/context'
import { DocumentChecker } from './state/document-checker'
import type { EditSession } from './state/edit-session'
import type { RunStates } from './state/run-states'
import { Toolbar } from './toolbar'
import { useCommands } from './use-commands'
import { useGoTo } from './use-go-to'

export interface EditorProps {
  readonly session: EditSession
  readonly runs: RunStates
  readonly catalog: Catalog
  readonly search: EditorSearch
  readonly onSearch: (change: Partial<EditorSearch>) => void
}

/** The workflow editor: node palette on the left, canvas, and inspector on the right. Panels do not cover the canvas. */
export function Editor(props: EditorProps) {
  return (
    <ReactFlowProvider>
      <EditorProviders {...props} />
    </ReactFlowProvider>
  )
}

function EditorProviders(props: EditorProps) {
  const { session, runs, catalog, onSearch } = props
  const [connecting, setConnecting] = useState<ConnectRequest | null>(null)
  const goTo = useGoTo(session)
  const [checker] = useState(() => new DocumentChecker(session, runs))
  const fit = useFit(catalog)
  const [editor] = useState(() => ({
    session,
    runs,
    checker,
    catalog,
    openConnectDialog: setConnecting,
    goTo,
    showAll: () => fit(session.document),
  }))
  useEffect(checker.start, [checker])
  const openResult = useCallback(
    (node: string, port?: string) => {
      goTo(node)
      onSearch({ view: 'result', port })
    },
    [goTo, onSearch],
  )
  return (
    <EditorContext value={editor}>
      <RunsContext value={runs}>
        <OpenResultContext value={openResult}>
          <EditorLayout {...props} />
        </OpenResultContext>
        {connecting && <ConnectDialog {...connecting} onClose={() => setConnecting(null)} />}
      </RunsContext>
    </EditorContext>
  )
}

function EditorLayout({ search, onSearch }: EditorProps) {
  const editor = useEditor()
  const { problem: unsaved } = useSyncExternalStore(editor.session.subscribe, editor.session.state)
  const [dialog, setDialog] = useState<'find' | 'help' | null>(null)
  const { commands, problem, unqueue, announcement } = useCommands(editor, setDialog, onSearch)
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
        {announcement}
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
