package kube

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// kubeconfig is the content of a kubeconfig file: clusters, users, and contexts that combine them.
type kubeconfig struct {
	Current  string `json:"current-context"`
	Contexts []namedContext
	Clusters []struct {
		Name    string
		Cluster struct {
			Server        string
			Authority     string `json:"certificate-authority"`
			AuthorityData string `json:"certificate-authority-data"`
			ServerName    string `json:"tls-server-name"`
			Unverified    bool   `json:"insecure-skip-tls-verify"`
		}
	}
	Users []struct {
		Name string
		User user
	}
}

type namedContext struct {
	Name    string
	Context struct{ Cluster, User, Namespace string }
}

type user struct {
	Certificate     string `json:"client-certificate"`
	CertificateData string `json:"client-certificate-data"`
	Key             string `json:"client-key"`
	KeyData         string `json:"client-key-data"`
	Token           string
	TokenFile       string
	Exec            *struct {
		APIVersion string
		Command    string
		Args       []string
		Env        []struct{ Name, Value string }
	}
}

// Connect returns a client for the cluster of a context in a kubeconfig file. If file is "", it is the first of
// $KUBECONFIG, or ~/.kube/config; if context or namespace is "", they are those of the file.
func Connect(file, context, namespace string) (*Client, error) {
	if file == "" {
		home, _ := os.UserHomeDir()
		list := append(filepath.SplitList(os.Getenv("KUBECONFIG")), filepath.Join(home, ".kube", "config"))
		file = list[0]
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the kubeconfig: %w; name one with --kubeconfig or KUBECONFIG", err)
	}
	var k kubeconfig
	if err := yaml.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c, err := k.client(filepath.Dir(file), cmp.Or(context, k.Current), namespace)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// client returns a client for a context. Paths in k are relative to dir.
func (k *kubeconfig) client(dir, context, namespace string) (*Client, error) {
	index := slices.IndexFunc(k.Contexts, func(c namedContext) bool { return c.Name == context })
	if index < 0 {
		return nil, fmt.Errorf("it has no context %q", context)
	}
	selected := k.Contexts[index].Context
	c := &Client{Namespace: cmp.Or(namespace, selected.Namespace, "default")}
	security := &tls.Config{MinVersion: tls.VersionTLS12}
	for _, named := range k.Clusters {
		if named.Name != selected.Cluster {
			continue
		}
		cluster := named.Cluster
		c.server, security.ServerName, security.InsecureSkipVerify = cluster.Server, cluster.ServerName, cluster.Unverified
		authority, err := readData(dir, cluster.Authority, cluster.AuthorityData)
		if err != nil {
			return nil, err
		}
		if authority != nil {
			security.RootCAs = x509.NewCertPool()
			if !security.RootCAs.AppendCertsFromPEM(authority) {
				return nil, fmt.Errorf("cluster %s: its certificate authority is not a certificate in PEM", named.Name)
			}
		}
	}
	if c.server == "" {
		return nil, fmt.Errorf("it has no cluster %q", selected.Cluster)
	}
	for _, named := range k.Users {
		if named.Name == selected.User {
			if err := named.User.apply(dir, c, security); err != nil {
				return nil, fmt.Errorf("user %s: %w", named.Name, err)
			}
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = security
	c.http = &http.Client{Transport: transport}
	return c, nil
}

// apply sets the certificate or token of a user in a client.
func (u *user) apply(dir string, c *Client, security *tls.Config) error {
	if u.Exec != nil {
		if err := u.runPlugin(); err != nil {
			return err
		}
	}
	c.token = u.Token
	if u.TokenFile != "" {
		text, err := os.ReadFile(absolute(dir, u.TokenFile))
		if err != nil {
			return err
		}
		c.token = string(bytes.TrimSpace(text))
	}
	certificate, err := readData(dir, u.Certificate, u.CertificateData)
	key, err2 := readData(dir, u.Key, u.KeyData)
	if err := errors.Join(err, err2); err != nil || certificate == nil {
		return err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	security.Certificates = []tls.Certificate{pair}
	return err
}

// runPlugin gets the user's token or certificate from a credential plugin, a program such as cloud providers supply.
func (u *user) runPlugin() error {
	c := exec.Command(u.Exec.Command, u.Exec.Args...)
	c.Env = append(os.Environ(), fmt.Sprintf(`KUBERNETES_EXEC_INFO={"apiVersion":%q,"kind":"ExecCredential",`+
		`"spec":{"interactive":false}}`, u.Exec.APIVersion))
	for _, e := range u.Exec.Env {
		c.Env = append(c.Env, e.Name+"="+e.Value)
	}
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", u.Exec.Command, err)
	}
	var credential struct {
		Status struct{ Token, ClientCertificateData, ClientKeyData string }
	}
	if err := json.Unmarshal(text, &credential); err != nil {
		return fmt.Errorf("%s: %w", u.Exec.Command, err)
	}
	u.Token = credential.Status.Token
	if pem := credential.Status.ClientCertificateData; pem != "" {
		u.CertificateData = base64.StdEncoding.EncodeToString([]byte(pem))
		u.KeyData = base64.StdEncoding.EncodeToString([]byte(credential.Status.ClientKeyData))
	}
	return nil
}

// readData returns data, decoded from base64, or else the content of file; nil if both are "".
func readData(dir, file, data string) ([]byte, error) {
	switch {
	case data != "":
		return base64.StdEncoding.DecodeString(data)
	case file != "":
		return os.ReadFile(absolute(dir, file))
	}
	return nil, nil
}

func absolute(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}
