import type { ErrorIssue } from '@medloom/contracts'
import { Component, lazy, type ReactNode, Suspense, useMemo } from 'react'
import { storedText } from '../../app/stored-text'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { useServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { rangeOfPath } from '../../forms/yaml-diagnostics'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import styles from './yaml-field.module.css'

const YamlEditor = lazy(async () => ({ default: (await import('../../forms/yaml-editor')).YamlEditor }))
/** The choice of the plain field, for example with a screen reader, applies to every page. */
const preferred = storedText('medloom.yaml-field')

/** Height of the editor for a short document, in rem: 24 and its borders. */
const EDITOR_HEIGHT = 24.125

interface YamlFieldProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly error: string | undefined
  readonly issues: readonly ErrorIssue[]
}

/** YAML document: an editor with markers, or a plain field if the user prefers it or the editor cannot be loaded. */
export function YamlField(props: YamlFieldProps) {
  const t = useText(train)
  const isPlain = preferred.use() === 'plain'
  return (
    <div className={styles.field}>
      {isPlain ? (
        <Plain {...props} />
      ) : (
        <Fallback otherwise={<Plain {...props} />}>
          <Rich {...props} />
        </Fallback>
      )}
      <div>
        <Button kind="quiet" icon="edit" onPress={() => preferred.set(isPlain ? '' : 'plain')}>
          {t(isPlain ? 'yaml.rich' : 'yaml.plain')}
        </Button>
      </div>
    </div>
  )
}

function Plain({ label, hint, value, onChange, error }: YamlFieldProps) {
  return <TextField label={label} hint={hint} lines={24} value={value} onChange={onChange} error={error} />
}

function Rich({ label, hint, value, onChange, error, issues }: YamlFieldProps) {
  const t = useText(train)
  const service = useServiceText()
  const marks = useMemo(
    () =>
      issues.map(({ path, message, message_phrases, severity }) => {
        const words = service(message, message_phrases)
        return {
          ...rangeOfPath(value, path),
          message: path === '' ? words : `${path}: ${words}`,
          isWarning: severity === 'warning',
        }
      }),
    [issues, value, service],
  )
  return (
    <>
      <span className={styles.label} aria-hidden="true">
        {label}
      </span>
      <Suspense fallback={<Skeleton height={EDITOR_HEIGHT} />}>
        <YamlEditor
          label={label}
          describedBy={`${hint} ${t('yaml.keys')}`}
          value={value}
          onChange={onChange}
          marks={marks}
        />
      </Suspense>
      <p className={styles.hint}>
        {hint} {t('yaml.keys')}
      </p>
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </>
  )
}

/** The page works without the editor: if its chunk cannot be loaded, the plain field is used. */
class Fallback extends Component<{ readonly otherwise: ReactNode; readonly children: ReactNode }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.otherwise : this.props.children
  }
}
