import { useMemo, useState } from 'react'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { valueAt } from '../../forms/draft'
import { FieldView } from '../../forms/field-view'
import { fieldsOf, leavesOf, pathOf, type Schema } from '../../forms/schema'
import { useNodeText } from '../../text/contracts/nodes'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import type { Node } from '../core/document'
import { configure, renameNode } from '../core/edits'
import { useCheck, useEditor } from '../state/context'
import { ModeAndColor } from './mode-and-color'
import styles from './panels.module.css'
import { PortLists } from './port-list'

/** Settings of one node: its name, its connections, and its fields, generated from the catalog. */
export function Settings({ node }: { readonly node: Node }) {
  const t = useText(text)
  const { catalog } = useEditor()
  const record = catalog.get(node.type)
  return (
    <div className={styles.stack}>
      <p className={styles.soft}>{record ? record.summary : t('unknown.help', { type: node.type })}</p>
      <PortLists node={node} />
      {record ? (
        <Fields key={node.id} node={node} schema={record.config as Schema} />
      ) : (
        <pre className={styles.code}>{JSON.stringify(node.config, null, 2)}</pre>
      )}
      <ModeAndColor />
      <NodeName key={`name ${node.id}`} id={node.id} />
    </div>
  )
}

function Fields({ node, schema }: { readonly node: Node; readonly schema: Schema }) {
  const t = useText(text)
  const { session } = useEditor()
  const issues = useCheck()?.issues ?? []
  const words = useNodeText()
  const fields = useMemo(
    () => leavesOf(words.fields(node.type, fieldsOf(schema))),
    [words, node.type, schema],
  )
  const problems = new Map(
    issues
      .filter((issue) => issue.node === node.id && issue.field !== undefined && issue.severity === 'error')
      .map(({ field, message, hint }) => [field as string, hint ? `${message}. ${hint}` : message]),
  )
  const set = (path: readonly string[], value: unknown) =>
    session.perform(configure(node.id, path, value), `set ${node.id} ${path.join('.')}`)
  if (fields.length === 0) return <p className={styles.soft}>{t('node.nothing')}</p>
  return (
    <div className={styles.stack}>
      {fields.map((field) => (
        <div key={pathOf(field)}>
          <FieldView
            field={field}
            value={valueAt(node.config, field.path)}
            onChange={(value) => set(field.path, value)}
            error={problems.get(pathOf(field)) ?? problems.get(field.path[0] ?? '')}
          />
        </div>
      ))}
    </div>
  )
}

/** The cache treats a renamed node as another node, so the name does not change while the user types. */
function NodeName({ id }: { readonly id: string }) {
  const t = useText(text)
  const { session } = useEditor()
  const [typed, setTyped] = useState(id)
  const rename = () => {
    const renamed = renameNode(session.document, id, typed)
    session.perform(renamed.edit)
    session.select([renamed.id])
  }
  return (
    <div className={styles.row}>
      <TextField label={t('node.name')} hint={t('node.name.hint')} value={typed} onChange={setTyped} />
      <Button isDisabled={typed.trim() === '' || typed.trim() === id} onPress={rename}>
        {t('node.rename')}
      </Button>
    </div>
  )
}
