# The container for editors (.devcontainer), as far as it can be judged without starting it: Debian 12 on x86-64, with
# what ./lab setup installs and nothing else.
. "$(dirname "$0")/library.sh"
folder=$LAB_SOURCE/.devcontainer

cat >read.cmake <<'END'
file(READ "${FOLDER}/devcontainer.json" text)
foreach(at "build;dockerfile" onCreateCommand "runArgs;0" "hostRequirements;gpu" "containerEnv;LAB_BUILD")
  string(JSON value GET "${text}" ${at})
  message("${at}=${value}")
endforeach()
END
cmake -DFOLDER="$folder" -P read.cmake 2>read || red "devcontainer.json is not JSON, or lacks a part: $(cat read)"
setting() { sed -n "s/^$1=//p" read; }
same "$(setting 'hostRequirements;gpu')" optional "a GPU"
same "$(setting 'runArgs;0')" --platform=linux/amd64 "the platform it runs on"
# The same checkout may have a build of the machine that it lies on, which is of no use in the container.
case $(setting 'containerEnv;LAB_BUILD') in /home/vscode/*) ;; *) red "builds go into the checkout" ;; esac
dockerfile=$folder/$(setting 'build;dockerfile')
[ -f "$dockerfile" ] || red "devcontainer.json names $dockerfile, which is not there"
grep -q '^FROM --platform=linux/amd64 [^ ]*:bookworm$' "$dockerfile" || red "the image is not Debian 12 on x86-64"

# What is installed stands in one place, `lab`.
same "$(setting onCreateCommand)" "./lab setup" "what installs and builds"
! grep -v '^#' "$dockerfile" | grep -q -E 'apt|RUN' || red "$dockerfile installs something; ./lab setup does that"
finish
