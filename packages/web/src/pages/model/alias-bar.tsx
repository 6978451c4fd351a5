import { ALIAS_NAME } from '@medloom/contracts/plain'
import { useState } from 'react'
import { Button } from '../../components/button'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { AliasHistoryDialog } from '../models/alias-history-dialog'
import styles from './model-page.module.css'
import { SetAliasDialog } from './set-alias-dialog'
import type { Model } from './use-evaluations'

/** Aliases of a model: each opens its history, and others can be set. */
export function AliasBar({ model }: { readonly model: Model }) {
  const t = useText(text)
  const [history, setHistory] = useState<string | null>(null)
  const [isSetting, setSetting] = useState(false)
  const named = model.aliases.filter((name) => ALIAS_NAME.test(name))
  const automatic = model.aliases.filter((name) => !ALIAS_NAME.test(name))
  return (
    <section aria-label={t('alias.title')} className={styles.chosen}>
      <span className={styles.soft}>{t('alias.title')}</span>
      {named.map((alias) => (
        <Button
          key={alias}
          icon="tag"
          aria-label={t('alias.history', { alias })}
          onPress={() => setHistory(alias)}
        >
          {alias}
        </Button>
      ))}
      {automatic.length > 0 && (
        <span className={styles.soft}>{t('alias.automatic', { names: automatic.join(', ') })}</span>
      )}
      <Button kind="quiet" icon="edit" onPress={() => setSetting(true)}>
        {t('alias.set')}
      </Button>
      {history !== null && <AliasHistoryDialog alias={history} onClose={() => setHistory(null)} />}
      {isSetting && <SetAliasDialog model={model} onClose={() => setSetting(false)} />}
    </section>
  )
}
