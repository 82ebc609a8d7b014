# For scripts that make a Debian: where its packages come from. Sourced.
#
# $DEBIAN_MIRROR, else what apt is configured to use on this machine, if that is a Debian, else nothing: then
# debootstrap takes its own default.
debian_mirror() {
    local mirror=${DEBIAN_MIRROR:-}
    if [ -z "$mirror" ] && command -v apt-get >/dev/null; then
        # Not Debian's security archive, which has the same origin and no distribution to install.
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' \
            2>/dev/null | head -n 1)
    fi
    printf '%s' "$mirror"
}
