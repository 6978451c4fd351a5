import { Icon } from '../components/icon'
import { Select } from '../components/select'
import { LANGUAGES, type Language } from '../text/define'
import { shell } from '../text/shell'
import { useText } from '../text/use-text'
import { resolveLanguage, setPreferences, THEMES, usePreferences } from './preferences'
import styles from './preferences-bar.module.css'

/** Language and theme, stored in this browser. */
export function PreferencesBar() {
  const t = useText(shell)
  const preferences = usePreferences()
  return (
    <div className={styles.bar}>
      <Select
        label={t('language')}
        hideLabel
        icon={<Icon name="language" />}
        choices={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
        value={resolveLanguage(preferences)}
        onChange={(language) => setPreferences({ language })}
      />
      <Select
        label={t('theme')}
        hideLabel
        icon={<Icon name="theme" />}
        choices={THEMES.map((value) => ({ value, label: t(`theme.${value}`) }))}
        value={preferences.theme}
        onChange={(theme) => setPreferences({ theme })}
      />
    </div>
  )
}
