#!/system/bin/sh
# restore.sh: undoes what prepare.sh changed. May run at any time and as often as one likes.
# Input:  the state file that prepare.sh wrote: file and former value per line, or '@ ' and the
#         command that undoes it.
# Output: restored=NUMBER, a line warning=MESSAGE for each file that could not be written back;
#         exit code 1 then, and the state file stays for another attempt.

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"

# Makes a sampler that was left alone end.
[ -d "$work" ] && : >"$work/stop"

restored=0
failed=0
if [ -r "$dir/state" ]; then
    # The last change is undone first: a speed can only be written under its governor.
    changes=
    while read -r line; do
        changes=$line${changes:+$nl}$changes
    done <"$dir/state"
    IFS=$nl
    for line in $changes; do
        case $line in
        '@ '*)
            unset IFS
            if ${line#@ } >/dev/null 2>&1; then
                restored=$((restored + 1))
            else
                failed=$((failed + 1))
                echo "warning=${line#@ } failed"
            fi
            IFS=$nl
            continue
            ;;
        esac
        file=${line%% *}
        former=${line#* }
        # A speed reads '<unsupported>' where no governor took one.
        case $former in
        "$line" | '' | '<'*) continue ;;
        esac
        if echo "$former" 2>/dev/null >"$file"; then
            restored=$((restored + 1))
        else
            failed=$((failed + 1))
            echo "warning=cannot write $former back to $file"
        fi
    done
    [ $failed -gt 0 ] || rm "$dir/state"
fi
echo "restored=$restored"
[ $failed -eq 0 ]
