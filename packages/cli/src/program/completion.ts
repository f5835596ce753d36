import type { Argument, Command, Option } from 'commander';
import { preferenceNames } from '@portico/core';

/**
 * The scripts that make a shell complete `portico`. Each runs `portico complete -- <words>`, which prints one candidate
 * per line with a tab before its description, then `:0` where a file name is possible and `:4` where not (the directives
 * of Cobra's protocol). The words are passed as typed and are never evaluated, and neither are file names: the shell's
 * own completion offers and quotes them.
 */
export const completionScripts: Readonly<Record<'bash' | 'zsh' | 'fish', string>> = {
  bash: `__portico_complete() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      # File names are left to readline, which quotes them.
      :0) compopt -o default 2>/dev/null ;;
      :*) ;;
      *)
        line="\${line%%$'\\t'*}"
        # In "email=on" readline replaces only what follows the "=".
        if [[ $cur == "=" || ( $previous == "=" && -n $cur ) ]]; then line="\${line#*=}"; fi
        COMPREPLY+=("$line")
        ;;
    esac
  done < <(portico complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F __portico_complete portico
`,
  zsh: `#compdef portico
_portico() {
  local line
  local -a candidates
  for line in "\${(@f)$(portico complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :0) _files ;;
      :*) ;;
      *) candidates+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  _describe portico candidates
}
compdef _portico portico
`,
  fish: `function __portico_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (portico complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path (commandline -ct)
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c portico -f -a '(__portico_complete)'
`,
};

/** The output of `portico complete`: the candidates for the last word. */
export const complete = (program: Command, typed: readonly string[]): string => {
  const words = joined(typed);
  const { candidates, files } = candidatesFor(program, words);
  const partial = words.at(-1) ?? '';
  return [
    ...candidates.filter(([word]) => word.startsWith(partial)).map(([word, meaning]) => `${word}\t${meaning}`),
    files ? ':0' : ':4',
    '',
  ].join('\n');
};

/** Bash passes `email=on` as three words. */
const joined = (words: readonly string[]): readonly string[] =>
  words.reduce<readonly string[]>((all, word, index) => {
    const isPart = word === '=' || (words[index - 1] === '=' && word !== '');
    return isPart && all.length > 0 ? [...all.slice(0, -1), `${all.at(-1)}${word}`] : [...all, word];
  }, []);

interface Candidates {
  readonly candidates: readonly (readonly [word: string, meaning: string])[];
  readonly files?: boolean;
}

const candidatesFor = (program: Command, words: readonly string[]): Candidates => {
  let command = program;
  let awaiting: Option | undefined;
  let given = 0;
  for (const word of words.slice(0, -1)) {
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (awaiting) awaiting = undefined;
    else if (option) awaiting = option.required ? option : undefined;
    else {
      const inner = command.commands.find((one) => one.name() === word);
      if (inner) command = inner;
      else given += 1;
    }
  }
  if (awaiting) return valuesOf(awaiting);
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description }) => [long ?? short ?? '', description] as const);
  if (words.at(-1)?.startsWith('-')) return { candidates: [...options, ['--help', 'display help for command']] };
  const commands = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => [one.name(), one.summary() || one.description()] as const);
  const argument = command.registeredArguments[given] ?? command.registeredArguments.findLast((one) => one.variadic);
  const values = argument ? valuesOf(argument) : { candidates: [] };
  return { ...values, candidates: [...commands, ...values.candidates] };
};

/** By how the value is called in the help: choices, preferences, a file. */
const valuesOf = (one: Argument | Option): Candidates => {
  const name = 'flags' in one ? (/<([^>]+)>/.exec(one.flags)?.[1] ?? '') : one.name();
  if (one.argChoices) return { candidates: one.argChoices.map((choice) => [choice, ''] as const) };
  if (name.startsWith('name=on'))
    return {
      candidates: preferenceNames.flatMap((name) => [[`${name}=on`, ''] as const, [`${name}=off`, ''] as const]),
    };
  return { candidates: [], files: /file/.test(name) };
};
