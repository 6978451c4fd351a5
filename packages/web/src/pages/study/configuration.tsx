import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { stringify } from 'yaml'
import { Button } from '../../components/button'
import { CopyButton } from '../../components/copy-button'
import { TextBlock } from '../../components/text-block'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { setStudyDraft } from './draft'
import type { Study } from './live-study'
import styles from './study.module.css'

/** Complete configuration of a study including defaults, as YAML. */
export function Configuration({ study: { config } }: { readonly study: Study }) {
  const t = useText(text)
  const navigate = useNavigate()
  const yaml = useMemo(() => stringify(config), [config])
  const again = () => {
    setStudyDraft(yaml)
    void navigate({ to: '/studies/new' })
  }
  return (
    <div className={styles.page}>
      <p className={styles.buttons}>
        <CopyButton text={yaml}>{t('configuration.copy')}</CopyButton>
        <Button icon="edit" onPress={again}>
          {t('configuration.again')}
        </Button>
      </p>
      <TextBlock label={t('tab.configuration')} text={yaml} />
    </div>
  )
}
